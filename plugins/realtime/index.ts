/** Realtime sessions: `GET /v1/realtime`, as the gateway discovers it. Without this package the path answers 404. */
import type { DialectPlugin } from '@gateway/contract/dialect'
import { realtime } from './endpoint.ts'

const plugin: DialectPlugin = { name: 'realtime', title: 'Realtime sessions', endpoints: [realtime] }

export default plugin
