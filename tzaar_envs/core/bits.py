"""Sets of small numbers as the bits of one word."""

from tzaar_envs.jit.compile import compiled


@compiled
def popcount(word: int) -> int:
    """Return how many bits of a word are 1: the size of a set."""
    # Bits are added up in pairs, fours and eights; the product has their sum in its top byte. The
    # compiler recognizes this form and uses the processor's own instruction. Compiled, int() does
    # nothing; uncompiled, it keeps the product from overflowing.
    pairs = word - (word >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    eights = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    return int(eights) * 0x0101010101010101 >> 56 & 0xFF


@compiled
def lowest_bit(word: int) -> int:
    """Return the number of the lowest bit that is 1, a set's first member; 64 if it is empty."""
    return popcount(~word & (word - 1))
