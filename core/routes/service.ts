/** A route of a service package: its scope, its query and its body are checked before its handler runs. */
import { createAnswer } from '../answer.ts'
import { faultsError, GatewayError, type Route } from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import { createValidator, toFaults, type Validator } from '../validate.ts'

interface Validators {
  query: Validator | null
  body: Validator | null
}

const compiled = new WeakMap<Route, Validators>()

function validatorsOf(route: Route): Validators {
  const known = compiled.get(route)
  if (known !== undefined) return known
  const made = {
    query: route.query === undefined ? null : createValidator(route.query),
    body: route.body === undefined ? null : createValidator(route.body),
  }
  compiled.set(route, made)
  return made
}

export async function serveRoute(
  exchange: Exchange,
  route: Route,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const identity = required(exchange.identity, 'identity')
  if (route.scope !== null && !identity.scopes.has(route.scope) && !identity.scopes.has('*')) {
    throw new GatewayError('missing_scope', `This key lacks the scope ${route.scope}.`, {
      param: route.scope,
    })
  }
  const validators = validatorsOf(route)
  const query = Object.fromEntries(exchange.transport.query)
  const queryErrors = validators.query?.(query) ?? null
  if (queryErrors !== null) throw faultsError(toFaults(queryErrors, 'invalid_query', 'query'))
  let body: unknown = null
  if (validators.body !== null) {
    body = (await exchange.transport.readJson({ maxBytes: exchange.settings.bodyLimitBytes })).body
    const errors = validators.body(body)
    if (errors !== null) throw faultsError(toFaults(errors, 'invalid_body'))
  }
  const answer = await route.handle({ identity, traceId: exchange.traceId, params, query, body })
  exchange.answer = createAnswer({
    status: answer.status,
    headers: { ...answer.headers },
    text: JSON.stringify(answer.body),
  })
}
