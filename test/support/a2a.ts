/** Real agents on loopback, with the official SDK of both protocol generations: A2A 0.3 and 1.0, JSON-RPC and REST. */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { AgentCard, TaskState } from '@a2a-js/sdk'
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import type { AgentCard as OldCard } from 'a2a-sdk-v0'
import {
  DefaultRequestHandler as OldRequestHandler,
  InMemoryTaskStore as OldTaskStore,
} from 'a2a-sdk-v0/server'
import {
  UserBuilder as OldUserBuilder,
  jsonRpcHandler as oldJsonRpcHandler,
  restHandler as oldRestHandler,
} from 'a2a-sdk-v0/server/express'
import express from 'express'

export interface A2aAgent {
  /** The base, below which its card is. */
  url: string
  card: Record<string, unknown>
  /** Headers of the requests. */
  seen: { path: string; headers: Record<string, unknown> }[]
  close(): Promise<void>
}

type Mount = (app: express.Express, origin: string) => Record<string, unknown>

async function openAgent(mount: Mount): Promise<A2aAgent> {
  const app = express()
  const seen: A2aAgent['seen'] = []
  app.use((request, _, next) => {
    seen.push({ path: request.path, headers: request.headers })
    next()
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const card = mount(app, origin)
  app.get('/.well-known/agent-card.json', (_, response) => {
    response.json(card)
  })
  return {
    url: origin,
    card,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const skills = [{ id: 'echo', name: 'Echo', description: 'Says it again', tags: ['text'] }]
const shared = {
  name: 'Echo',
  description: 'Says it again',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills,
}

/** Repeats a message; a message that begins with `task` becomes a task with two updates. */
export const openAgentOf1 = (): Promise<A2aAgent> =>
  openAgent((app, origin) => {
    const card = {
      ...shared,
      supportedInterfaces: [
        { url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'grpc.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' },
      ],
      signatures: [{ protected: 'x', signature: 'y' }],
    }
    const parsed = AgentCard.fromJSON({ ...card, signatures: [] })
    const requestHandler = new DefaultRequestHandler(parsed, new InMemoryTaskStore(), {
      async execute({ userMessage, taskId, contextId }, bus) {
        const part = userMessage.parts[0]?.content
        const text = part?.$case === 'text' ? part.value : ''
        const status = (state: TaskState) => ({ state, message: undefined, timestamp: undefined })
        if (text.startsWith('task')) {
          const begun = status(TaskState.TASK_STATE_WORKING)
          const task = {
            id: taskId,
            contextId,
            status: begun,
            artifacts: [],
            history: [],
            metadata: undefined,
          }
          bus.publish(AgentEvent.task(task))
          const done = status(TaskState.TASK_STATE_COMPLETED)
          bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: done, metadata: undefined }))
        } else {
          const message = { ...userMessage, messageId: randomUUID(), role: 2, contextId, taskId: '' }
          bus.publish(AgentEvent.message(message))
        }
        bus.finished()
      },
      cancelTask: async () => undefined,
    })
    const userBuilder = UserBuilder.noAuthentication
    app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }))
    app.use('/rest', restHandler({ requestHandler, userBuilder }))
    return card
  })

/** The same in the older generation. */
export const openAgentOf03 = (): Promise<A2aAgent> =>
  openAgent((app, origin) => {
    const card: OldCard = {
      ...shared,
      protocolVersion: '0.3.0',
      url: `${origin}/rpc`,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: `${origin}/rpc`, transport: 'JSONRPC' },
        { url: `${origin}/rest`, transport: 'HTTP+JSON' },
        { url: 'grpc.example:443', transport: 'GRPC' },
      ],
    }
    const requestHandler = new OldRequestHandler(card, new OldTaskStore(), {
      async execute({ userMessage, taskId, contextId }, bus) {
        const [part] = userMessage.parts
        const text = part?.kind === 'text' ? part.text : ''
        if (text.startsWith('task')) {
          bus.publish({ kind: 'task', id: taskId, contextId, status: { state: 'working' } })
          const status = { state: 'completed' as const }
          bus.publish({ kind: 'status-update', taskId, contextId, status, final: true })
        } else {
          const parts = [{ kind: 'text' as const, text }]
          bus.publish({ kind: 'message', messageId: randomUUID(), role: 'agent', parts, contextId })
        }
        bus.finished()
      },
      cancelTask: async () => undefined,
    })
    const userBuilder = OldUserBuilder.noAuthentication
    app.use('/rpc', oldJsonRpcHandler({ requestHandler, userBuilder }))
    app.use('/rest', oldRestHandler({ requestHandler, userBuilder }))
    return { ...card }
  })
