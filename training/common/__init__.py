"""Parts that every training script can use, whatever library it trains with."""
