/** Names of inherited JavaScript object members, inserted at every name and text of a JSON value. */

export const hostileNames = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'] as const

type Json = unknown

/** Bodies as JSON text, because a literal cannot have an own `__proto__`. */
export function hostileBodies(valid: Json): string[] {
  const bodies: string[] = []
  const write = (value: Json) => bodies.push(JSON.stringify(value))
  walk(valid, (node, replace) => {
    if (typeof node === 'string') for (const name of hostileNames) write(replace(name))
    else if (typeof node === 'object' && node !== null && !Array.isArray(node)) {
      const own = JSON.stringify(node).slice(1, -1)
      const add = (members: readonly string[]) =>
        write(replace(JSON.parse(`{${[...members, ...(own === '' ? [] : [own])].join(',')}}`)))
      for (const value of ['text', {}, { a: 1 }, null, 1])
        add(hostileNames.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`))
      // A schema that refuses the first of several names does not reach the others.
      for (const value of ['text', { a: 1 }])
        for (const name of hostileNames) add([`${JSON.stringify(name)}:${JSON.stringify(value)}`])
    }
  })
  return [...new Set(bodies)]
}

/** Visits every node; `replace` returns the whole value with the node replaced. */
function walk(node: Json, visit: (node: Json, replace: (other: Json) => Json) => void): void {
  const step = (inner: Json, replace: (other: Json) => Json): void => {
    visit(inner, replace)
    if (typeof inner !== 'object' || inner === null) return
    for (const [name, member] of Object.entries(inner)) {
      step(member, (other) => {
        if (Array.isArray(inner)) return replace(inner.with(Number(name), other))
        return replace({ ...inner, [name]: other })
      })
    }
  }
  step(node, (other) => other)
}
