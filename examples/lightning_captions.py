"""Log caplens' scores in Lightning: the same class as in torchmetrics.

pip install pytorch-lightning "caplens[torchmetrics]"
python examples/lightning_captions.py
"""

from __future__ import annotations

import pytorch_lightning as lightning
import torch

from caplens.integrations.torchmetrics import CaptionMetricCollection

REFERENCES = [["a man on a horse", "a man rides a horse"], ["two dogs run"], ["a cat on the mat"]]


class Captioner(lightning.LightningModule):
    """Says the same for every image; a real one would look."""

    def __init__(self) -> None:
        super().__init__()
        self.metrics = CaptionMetricCollection("rouge, cider(df=coco-val2014)", prefix="val/")

    def validation_step(self, batch: torch.Tensor, batch_idx: int) -> None:
        """Score a batch; Lightning gathers the scores of all processes at the end of the epoch."""
        images = batch.tolist()
        # With ids, captions that a distributed sampler repeats to fill its last batch count once.
        self.metrics.update(["a man on a horse"] * len(images), [REFERENCES[image] for image in images], ids=images)

    def on_validation_epoch_end(self) -> None:
        """Log, and begin anew."""
        self.log_dict(self.metrics.compute())
        self.metrics.reset()


def main() -> None:
    """Validate on three images."""
    data = torch.utils.data.DataLoader(torch.arange(len(REFERENCES)), batch_size=2)
    trainer = lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    trainer.validate(Captioner(), data)


if __name__ == "__main__":
    main()
