/**
 * A Koa application that answers a constant: the limit for answers that need no upstream, such as cache
 * hits. `/v1/chat/completions` first reads the JSON body with koa-body, any other path does not read it.
 *
 * Argument: the port on 127.0.0.1.
 */
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { COMPLETION } from './wire-data.ts'

const app = new Koa()
const readBody = koaBody({ multipart: false, urlencoded: false, text: false })

app.use(async function constant(ctx) {
  if (ctx.path === '/v1/chat/completions') await readBody(ctx, async () => {})
  ctx.type = 'application/json'
  ctx.body = COMPLETION
})
app.listen(Number(process.argv[2]), '127.0.0.1')
