/** The data path for one request of a service: tool limits, guardrails, the log. */
import type {
  CallTrace,
  CheckedBody,
  DataPath,
  JsonObject,
  ServiceCallRecord,
  ToolCall,
  TracedCall,
} from '@gateway/contract'
import { callerOf, type Ended } from '../flow/index.ts'
import { checkToolCall } from '../guardrails/index.ts'
import { admitCall, admitTool } from '../metering/index.ts'
import { traceCall } from '../observability/index.ts'

/** A class, because most requests of services never use one. */
class ExchangeDataPath implements DataPath {
  private readonly exchange: Ended

  constructor(exchange: Ended) {
    this.exchange = exchange
  }

  metadata(): Readonly<Record<string, string>> {
    return callerOf(this.exchange).options.metadata
  }

  admitCall(): Promise<void> {
    return admitCall(callerOf(this.exchange))
  }

  admitTool(call: ToolCall): Promise<(resultBytes: number) => Promise<void>> {
    return admitTool(callerOf(this.exchange), call)
  }

  check(call: ToolCall, result: JsonObject | null): Promise<CheckedBody> {
    return checkToolCall(callerOf(this.exchange), call, result)
  }

  record(call: ServiceCallRecord): void {
    this.exchange.serviceCalls = [...this.exchange.serviceCalls, call]
  }

  trace(call: TracedCall): CallTrace {
    return traceCall(this.exchange, call)
  }
}

export const createDataPath = (exchange: Ended): DataPath => new ExchangeDataPath(exchange)
