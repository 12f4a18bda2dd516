"""Many fits: models for a number of clusters, tasks on workers, and checkpoints that outlive a kill."""
