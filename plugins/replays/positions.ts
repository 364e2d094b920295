/**
 * Positions in the work of a replay: pairs come first, then reservations, which are kept so that what a killed process
 * may have spent counts against the budget, and those among them that were given back unused.
 */

/** The most pairs of a replay. */
export const mostPairs = 5000
export const pairsEnd = 1_000_000

export const reservationPosition = (number: number): number => pairsEnd + number

export const releasePosition = (number: number): number => 2 * pairsEnd + number
