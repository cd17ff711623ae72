'use strict';
const number = text => { const found = text.replace(/,/g, '').replace(/\u2212/g, '-').match(/^[^0-9+-]*([+-]?\d+(\.\d+)?)/); return found ? +found[1] : null; };

function sort(button) {
  const head = button.closest('th'), table = head.closest('table'), place = [...head.parentNode.children].indexOf(head);
  const isRising = head.getAttribute('aria-sort') === 'descending';
  for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isRising ? 'ascending' : 'descending');
  const isText = head.classList.contains('l'), key = row => {
    const text = row.cells[place] ? row.cells[place].textContent : '';
    return isText ? text : number(text) ?? -Infinity;
  };
  const compared = (one, other) => isText ? key(one).localeCompare(key(other), undefined, {numeric: true}) : key(one) - key(other);
  const body = table.tBodies[0];
  for (const row of [...body.rows].sort((one, other) => (isRising ? 1 : -1) * compared(one, other))) body.append(row);
}

for (const button of document.querySelectorAll('.sortable thead button')) button.addEventListener('click', () => sort(button));
document.getElementById('filter').addEventListener('input', event => {
  const wanted = event.target.value.toLowerCase();
  for (const row of document.querySelectorAll('.sortable tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
for (const one of document.querySelectorAll('.scripted')) one.hidden = false;
