"""A small file of each kind that is recognised by its content."""

TREE = "# text = a b\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n2\tb\tb\tVERB\t_\t_\t1\tdep\t_\t_\n\n"
CONLL2009 = "1\ta\ta\ta\tN\tN\t_\t_\t0\t0\troot\troot\tY\ta.01\tA0\n\n"
KINDS = {
    "treebank": TREE,
    "propbank": f"# global.columns = ID FORM UP:PRED\n{TREE}",
    "conll2009": CONLL2009,
    "entities": "-DOCSTART- -X- O\n\nOlaf NNP B-PER\nser VBZ O\n\n",
    "senteval": "tr\tA\ta b\nva\tA\tb c\nte\tB\tc d\n",
    "tokens": "a b\t1\tX\nc d e\t2\tY\n",
    "clams": "True\ta b\nFalse\tb a\n",
    "blimp": '{"sentence_good": "a", "sentence_bad": "b", "UID": "x"}\n',
    "ewok": '{"Context1": "a", "Context2": "b", "Target1": "c", "Target2": "d"}\n',
    "json_lines": '{"set": 1, "label": true, "sentence": "a"}\n',
    "objects": '{"form": "a", "label": 1}\n{"form": "b", "label": 2, "more": null}\n',
    "table": "a\tX\nb\tY\n",
    "text": "Kala ui , ja vene .\nTalo ?\n",
    "vectors": "2 3\na 0.1 0.2 0.3\nb 0.1 -0.2 1e-3\n",
}
