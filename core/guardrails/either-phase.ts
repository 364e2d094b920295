/** What is wrong with a guardrail that is saved by itself: it must be right in one phase at least. */
import { type Fault, isGatewayError, type Phase } from '@gateway/contract'
import type { Guardrail } from '../domain/hooks.ts'
import type { HookContext } from '../flow/compile-context.ts'
import { compileHooks, isMisfit } from './compile.ts'

const phases: readonly Phase[] = ['before', 'after']

/**
 * Empty when it is right. One that is wrong in both phases is reported as the phase sees it that has all of its checks;
 * where none has, the checks that do not go together are named beside everything else that is wrong.
 */
export function faultsInEitherPhase(guardrail: string | Guardrail, context: HookContext): Fault[] {
  const perPhase = phases.map((phase) => faultsIn(guardrail, phase, context))
  if (perPhase.some((faults) => faults.length === 0)) return []
  const fitting = perPhase.filter((faults) => !faults.some(isMisfit))
  const told = fitting.length > 0 ? fitting.flat() : [...perPhase.flat().filter(isReal), ...fewest(perPhase)]
  return distinct(told).map((fault) => ({ ...fault, param: fault.param.replace(/^\/0(?=\/|$)/, '') }))
}

const isReal = (fault: Fault) => !isMisfit(fault)

/** Of the phase that has the most of the checks, those that it does not have. */
function fewest(perPhase: readonly Fault[][]): Fault[] {
  const [least = []] = perPhase
    .map((faults) => faults.filter(isMisfit))
    .sort((left, right) => left.length - right.length)
  return least
}

/** Both phases see what is wrong whatever the phase. */
const distinct = (faults: readonly Fault[]): Fault[] => [
  ...new Map(faults.map((fault) => [`${fault.param}\n${fault.message}`, fault])).values(),
]

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
