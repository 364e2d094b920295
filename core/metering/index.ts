/** Limits, prices and usage: reserves before a call, settles after it. */
export { admitAgain } from './limits/admit-again.ts'
export { admitCall, admitTool } from './limits/admit-tool.ts'
export { type ApplicableLimit, applicableLimits } from './limits/applicable-limits.ts'
export { runWithin, type Within } from './limits/enforce-limits.ts'
export { noteReached, noteRefused } from './limits/limit-events.ts'
export { policySubjectOf } from './limits/policy-subject.ts'
export { type LimitPreview, previewLimits } from './limits/preview-limits.ts'
export { priceCall } from './limits/price-call.ts'
export { withRateHeaders } from './limits/rate-headers.ts'
export { bucketOf } from './limits/refusal.ts'
export { charge } from './limits/reserve.ts'
export { reserveBatch } from './limits/reserve-batch.ts'
export {
  centsOf,
  estimateUsage,
  imageAsked,
  noUsageCost,
  pricedOf,
  usageCostOf,
} from './limits/usage-cost.ts'
export { fileLimits, workspaceLimits } from './limits/workspace-limits.ts'
export { listedPrice, toConfig } from './pricing/listed-price.ts'
export { listNameOf, loadPriceList, type PriceList, preparePrices, priceOf } from './pricing/price.ts'
export { rulesOf } from './pricing/prices.ts'
