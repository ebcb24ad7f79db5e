"""Trained policies: network, card, file, evaluator for tree search, ONNX."""
