/** The response request, rule by rule. */
import { describeTable } from '../../core/server/fixtures.ts'

const user = { role: 'user', content: 'hello' }
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
const tool = { type: 'function', name: 'f', parameters: {}, strict: false }

describeTable('a response request', {
  path: '/v1/responses',
  body: { model: 'm', input: 'hello' },
  refused: [
    [{ model: '' }, '/model'],
    [{ model: 7 }, '/model'],
    [{ input: 7 }, '/input'],
    [{ input: ['x'] }, '/input/0'],
    [{ input: [{ role: 'robot', content: 'x' }] }, '/input/0/role'],
    [{ input: [user, { role: 'user' }] }, '/input/1/content'],
    [{ input: [{ role: 'user', content: null }] }, '/input/0/content'],
    [{ input: [{ role: 'user', content: [{ text: 'x' }] }] }, '/input/0/content/0/type'],
    [{ input: [{ ...call, call_id: undefined }] }, '/input/0/call_id'],
    [{ input: [{ ...call, arguments: {} }] }, '/input/0/arguments'],
    [{ input: [{ type: 'function_call_output', call_id: 'c' }] }, '/input/0/output'],
    [{ instructions: ['x'] }, '/instructions'],
    [{ background: 'yes' }, '/background'],
    [{ include: 'x' }, '/include'],
    [{ max_output_tokens: 0 }, '/max_output_tokens'],
    [{ max_output_tokens: 1.5 }, '/max_output_tokens'],
    [{ metadata: { a: 1 } }, '/metadata/a'],
    [{ parallel_tool_calls: 1 }, '/parallel_tool_calls'],
    [{ previous_response_id: '' }, '/previous_response_id'],
    [{ previous_response_id: 'resp_1', conversation: 'conv_1' }, '/conversation'],
    [{ reasoning: 'low' }, '/reasoning'],
    [{ store: 'no' }, '/store'],
    [{ stream: 'yes' }, '/stream'],
    [{ temperature: 2.1 }, '/temperature'],
    [{ top_p: -0.1 }, '/top_p'],
    [{ text: { format: { name: 'x' } } }, '/text/format/type'],
    [{ tool_choice: 1 }, '/tool_choice'],
    [{ tool_choice: { name: 'f' } }, '/tool_choice/type'],
    [{ tools: [{ name: 'f' }] }, '/tools/0/type'],
    [{ top_logprobs: 21 }, '/top_logprobs'],
    [{ temperature: 3, top_p: 2 }, '/temperature', '/top_p'],
  ],
  passes: [
    { input: [user, call, { type: 'function_call_output', call_id: 'c', output: 'x' }] },
    { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] }] },
    { tools: [tool], tool_choice: { type: 'function', name: 'f' }, parallel_tool_calls: false },
    { input: [{ type: 'additional_tools', role: 'developer', tools: [tool] }] },
    { temperature: null, top_p: null, tools: null, metadata: null, store: null, text: null, reasoning: null },
    { text: { format: { type: 'json_schema', name: 's', schema: {} }, verbosity: 'low' } },
    { reasoning: { effort: 'low', summary: 'auto' }, max_output_tokens: 16 },
    { metadata: { a: 'b' }, user: 'u', safety_identifier: 's', something_else: { x: 1 } },
    { stream: true, stream_options: { include_obfuscation: false } },
  ],
})
