"""Rows of stage neurons, as a run of neurons has them."""


def row(metric="accuracy", **columns):
    usual = {"stage": "neurons", "lang": "fi", "suite": "linspector_type", "encoder": "checkpoint", "probe": "neurons"}
    usual |= {"test": "Case", "split": "test", "metric": metric, "n": 200, "layer": "all"}
    return {**usual, **columns}


def of_epoch(epoch, full, top):
    """Rows of 40 neurons, of which 4 are kept."""
    interval = {"interval_low": 0.75, "interval_high": 0.85}
    return [
        row(ablation="all", neurons=40, value=full, control=0.3, selectivity=full - 0.3, epoch=epoch, **interval),
        row(ablation="top_zeroed", ranking="weights", neurons=4, value=top, epoch=epoch),
        row(ablation="top_zeroed", ranking="weights", neurons=4, value=0.11, split="dev", epoch=epoch),
        row("neurons_of_mass", ranking="weights", layer="encoding", value=3.0, epoch=epoch),
        row("neurons_of_mass", ranking="weights", layer="bilstm", value=1.0, epoch=epoch),
    ]
