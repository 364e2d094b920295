/** Properties that run `GATEWAY_TEST_RUNS` times as often (test/support/assert-property.ts) get as much more time. */
const times = Number(process.env.GATEWAY_TEST_RUNS ?? 1)

module.exports = {
  timeout: 300_000 * (times > 0 ? times : 1),
  require: ['./test/dist/support/root-hooks.js'],
}
