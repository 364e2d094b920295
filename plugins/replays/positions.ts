/**
 * Positions in the work of a replay: pairs come first, then reservations, then releases of unused reservations.
 * Reservations are stored because amounts that a killed process may have spent must count against the budget.
 */

/** The maximum number of pairs in a replay. */
export const mostPairs = 5000
export const pairsEnd = 1_000_000

export const reservationPosition = (number: number): number => pairsEnd + number

export const releasePosition = (number: number): number => 2 * pairsEnd + number
