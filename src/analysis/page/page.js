'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
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
  const compared = (one, other) => isText ? String(key(one)).localeCompare(key(other)) : key(one) - key(other);
  const body = table.tBodies[0];
  for (const row of [...body.rows].sort((one, other) => (isRising ? 1 : -1) * compared(one, other))) body.append(row);
}

function showDifferences(table, numbers, baseline) {
  const start = +table.dataset.start, count = +table.dataset.scores;
  table.shown.forEach(({row, texts}, line) => {
    for (let column = 0; column < count && numbers.value[line]; column++) {
      const cell = row.cells[start + column], value = numbers.value[line][column];
      const below = baseline && numbers[baseline][line][column];
      cell.textContent = !baseline ? texts[column]
        : value == null || below == null ? '-'
        : (value < below ? '\u2212' : '+') + (100 * Math.abs(value - below)).toFixed(1);
    }
  });
}

for (const button of document.querySelectorAll('.sortable thead button')) button.addEventListener('click', () => sort(button));
for (const one of document.querySelectorAll('script.numbers')) {
  const table = one.previousElementSibling.querySelector('table'), numbers = JSON.parse(one.textContent);
  const start = +table.dataset.start, count = +table.dataset.scores;
  table.shown = [...table.tBodies[0].rows].map(row => ({row, texts: [...row.cells].slice(start, start + count).map(cell => cell.textContent)}));
  for (const input of table.parentNode.previousElementSibling.querySelectorAll('input'))
    input.addEventListener('change', () => showDifferences(table, numbers, input.value));
}
document.getElementById('filter').addEventListener('input', event => {
  const wanted = event.target.value.toLowerCase();
  for (const row of document.querySelectorAll('.sortable tbody tr')) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
});
document.getElementById('csv')?.addEventListener('click', () => {
  const names = Object.keys(data.columns), at = (name, row) => Array.isArray(data.columns[name]) ? data.columns[name][row] : data.columns[name];
  const quoted = value => value == null ? '' : /[",\n\r]/.test(value) ? '"' + String(value).replaceAll('"', '""') + '"' : value;
  const safe = value => typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? "'" + value : value;
  const lines = Array.from({length: data.rows}, (_, row) => names.map(name => quoted(safe(at(name, row)))).join(','));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([[names.join(','), ...lines].join('\n')], {type: 'text/csv'}));
  link.download = data.name + '.csv';
  link.click();
});

addEventListener('beforeprint', () => { for (const one of document.querySelectorAll('details')) one.open = true; });
for (const one of document.querySelectorAll('.scripted')) one.hidden = false;
