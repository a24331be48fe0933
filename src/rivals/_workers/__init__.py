"""Work in other processes: blocks, attempts, interrupts and progress, for calibration and cross-validation alike."""
