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
import { callerOf, type Ended, type Runtime } from '@gateway/flow'
import { checkToolCall } from '../guardrails/index.ts'
import { admitCall, admitTool } from '../metering/index.ts'
import { traceCall } from '../observability/index.ts'

/** A class, because most requests of services never use one. */
class ExchangeDataPath implements DataPath {
  protected readonly ports: Runtime
  private readonly exchange: Ended

  constructor(ports: Runtime, exchange: Ended) {
    this.ports = ports
    this.exchange = exchange
  }

  metadata(): Readonly<Record<string, string>> {
    return callerOf(this.exchange).options.metadata
  }

  admitCall(): Promise<void> {
    return admitCall(this.ports, callerOf(this.exchange))
  }

  admitTool(call: ToolCall): Promise<(resultBytes: number) => Promise<void>> {
    return admitTool(this.ports, callerOf(this.exchange), call)
  }

  check(call: ToolCall, result: JsonObject | null): Promise<CheckedBody> {
    return checkToolCall(this.ports, callerOf(this.exchange), { call, result })
  }

  record(call: ServiceCallRecord): void {
    this.exchange.request.record.serviceCalls = [...this.exchange.request.record.serviceCalls, call]
  }

  trace(call: TracedCall): CallTrace {
    return traceCall(this.exchange, call)
  }
}

export const createDataPath = (ports: Runtime, exchange: Ended): DataPath =>
  new ExchangeDataPath(ports, exchange)
