#!/usr/bin/env node
/** The `gateway` command of an installation from npm. In a checkout it is the checkout's own. */
import { existsSync } from 'node:fs'

const checkout = new URL('../../core/', import.meta.url)
const isCheckout = existsSync(new URL('tsconfig.json', checkout))
const core = isCheckout ? checkout : new URL('../dist/core/', import.meta.url)
await import(new URL('cli/bin/gateway.js', core).href)
