/** What is wrong with a guardrail that is saved by itself: it must be right in one phase at least. */
import { type Fault, isGatewayError, type Phase } from '@gateway/contract'
import type { Guardrail } from '../domain/hooks.ts'
import type { HookContext } from '../flow/compile-context.ts'
import { compileHooks } from './compile.ts'

const phases: readonly Phase[] = ['before', 'after']

/** Empty when it is right; one that is wrong in both phases is reported as the phase sees it that its checks fit best. */
export function faultsInEitherPhase(guardrail: string | Guardrail, context: HookContext): Fault[] {
  const perPhase = phases.map((phase) => faultsIn(guardrail, phase, context))
  const right = perPhase.find((faults) => faults.length === 0)
  if (right !== undefined) return right
  const [likelier = []] = perPhase.sort(
    (left, right) => misfits(left) - misfits(right) || left.length - right.length,
  )
  return likelier.map((fault) => ({ ...fault, param: fault.param.replace(/^\/0(?=\/|$)/, '') }))
}

function faultsIn(guardrail: string | Guardrail, phase: Phase, context: HookContext): Fault[] {
  const faults: Fault[] = []
  try {
    compileHooks([guardrail], phase, '', context, faults)
  } catch (error) {
    if (!isGatewayError(error)) throw error
    faults.push({ param: error.param ?? '', code: error.code, message: error.message })
  }
  return faults
}

/** How many checks do not belong to the phase. */
const misfits = (faults: readonly Fault[]): number =>
  faults.filter(({ param, code }) => code === 'invalid_config' && param.endsWith('/id')).length
