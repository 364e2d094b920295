/**
 * Caches what is made from recurring combinations of values, such as the bytes of a span's name and most of its attributes. The
 * cache is a tree with one level per value; most branches have a single value, which one comparison finds.
 */

export type RepeatedValue = string | number | boolean | null

/** Always with the same members. */
export type RepeatedValues = Readonly<Record<string, RepeatedValue>>

interface Branch<Made> {
  /** The first value seen here, and the branch below it. */
  value: RepeatedValue
  next: Branch<Made> | null
  /** The branches below other values. */
  others: Map<RepeatedValue, Branch<Made>> | null
  /** The value made for the combination that ends here. */
  made: Made | null
}

/** The most branches in the tree, and the longest text that is cached. */
const maxBranches = 20_000
const maxTextLength = 100

const emptyBranch = () => ({ value: null, next: null, others: null, made: null })

/** @param valuesOf everything that `make` depends on */
export function cacheByValues<Of, Made extends object>(
  valuesOf: (of: Of) => RepeatedValues,
  make: (of: Of) => Made,
): (of: Of) => Made {
  let root: Branch<Made> = emptyBranch()
  let branches = 0

  function grow(): Branch<Made> {
    branches += 1
    return emptyBranch()
  }

  /** The branch below a value that is not the first one seen there. */
  function follow(branch: Branch<Made>, value: RepeatedValue): Branch<Made> {
    if (branch.next === null) {
      branch.value = value
      branch.next = grow()
      return branch.next
    }
    branch.others ??= new Map()
    let next = branch.others.get(value)
    if (next === undefined) {
      next = grow()
      branch.others.set(value, next)
    }
    return next
  }

  return (of) => {
    if (branches > maxBranches) {
      root = emptyBranch()
      branches = 0
    }
    const values = valuesOf(of)
    let branch = root
    for (const name in values) {
      const value = values[name] as RepeatedValue
      if (branch.next !== null && branch.value === value) branch = branch.next
      else if (typeof value === 'string' && value.length > maxTextLength) return make(of)
      else branch = follow(branch, value)
    }
    branch.made ??= make(of)
    return branch.made
  }
}
