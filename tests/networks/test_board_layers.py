"""Layers over boards calculate what their plain formulas say, in either layout of memory."""

import pytest
import torch

from tzaar_envs.networks.network import BoardPolicyHead, ValueHead, by_cell, mean_of

LAYOUTS = [torch.contiguous_format, torch.channels_last]
SHAPE = (3, 8, 5, 7)  # batch, width, rows, columns


def features(layout: torch.memory_format) -> torch.Tensor:
    values = torch.randn(SHAPE, generator=torch.Generator().manual_seed(0))
    return values.to(memory_format=layout).requires_grad_()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cells_and_mean(layout: torch.memory_format) -> None:
    board = features(layout)
    cells = by_cell(board)
    assert cells.shape == (3, 35, 8)
    assert (cells[1, 2 * 7 + 3] == board[1, :, 2, 3]).all()
    torch.testing.assert_close(mean_of(cells)[:, 0], board.mean(dim=(2, 3)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_heads_see_mean_and_greatest_of_the_board(layout: torch.memory_format) -> None:
    torch.manual_seed(0)
    board = features(layout)
    head = ValueHead(SHAPE[1:])
    pooled = torch.cat([board.mean(dim=(2, 3)), board.amax(dim=(2, 3))], dim=1)
    torch.testing.assert_close(head(board), head.value(torch.relu(head.hidden(pooled))))

    policy = BoardPolicyHead(SHAPE[1:], [(2, True), (3, False)])
    logits = policy(board)
    on_board, single = policy.parts
    assert logits.shape == (3, 2 * 35 + 3)
    torch.testing.assert_close(logits[:, :70], on_board(board).flatten(1))
    torch.testing.assert_close(logits[:, 70:], single(board.mean(dim=(2, 3))))
