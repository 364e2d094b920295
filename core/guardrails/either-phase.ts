/** Validates a guardrail that is saved on its own: it must be valid in at least one phase. */
import { type Fault, isGatewayError, type Phase } from '@gateway/contract'
import type { Guardrail } from '@gateway/domain'
import type { HookContext } from '@gateway/flow'
import { compileHooks, isPhaseMismatch } from './compile.ts'

const phases: readonly Phase[] = ['before', 'after']

/**
 * The errors; empty for a valid guardrail. If it is invalid in both phases, the errors are those of the phase that
 * supports all of its checks; if neither phase does, the incompatible checks are listed with all other errors.
 */
export function faultsInEitherPhase(guardrail: string | Guardrail, context: HookContext): Fault[] {
  const perPhase = phases.map((phase) => faultsIn(guardrail, phase, context))
  if (perPhase.some((faults) => faults.length === 0)) return []
  const fitting = perPhase.filter((faults) => !faults.some(isPhaseMismatch))
  const told = fitting.length > 0 ? fitting.flat() : [...perPhase.flat().filter(isReal), ...fewest(perPhase)]
  return distinct(told).map((fault) => ({ ...fault, param: fault.param.replace(/^\/0(?=\/|$)/, '') }))
}

const isReal = (fault: Fault) => !isPhaseMismatch(fault)

/** The checks that are not supported by the phase that supports most of them. */
function fewest(perPhase: readonly Fault[][]): Fault[] {
  const [least = []] = perPhase
    .map((faults) => faults.filter(isPhaseMismatch))
    .sort((left, right) => left.length - right.length)
  return least
}

/** Errors independent of the phase appear in both. */
const distinct = (faults: readonly Fault[]): Fault[] => [
  ...new Map(faults.map((fault) => [`${fault.param}\n${fault.message}`, fault])).values(),
]

function faultsIn(guardrail: string | Guardrail, phase: Phase, context: HookContext): Fault[] {
  const faults: Fault[] = []
  try {
    compileHooks([guardrail], phase, { param: '', context, faults })
  } catch (error) {
    if (!isGatewayError(error)) throw error
    faults.push({ param: error.param ?? '', code: error.code, message: error.message })
  }
  return faults
}
