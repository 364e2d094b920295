/** 16 hexadecimal digits; not a secret. */
export function createSpanId(): string {
  const half = () => ((Math.random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0')
  return half() + half()
}
