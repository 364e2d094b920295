/**
 * A provider that speaks the compatible format.
 * Reference: name the vendor's documentation here.
 */
import { compatibleProvider } from '@gateway/provider-kit'

export default compatibleProvider({
  name: '{{name}}',
  title: '{{title}}',
  docs: 'https://api.example.com/docs',
  // The base URL with its version segment.
  baseUrl: 'https://api.example.com/v1',
  endpoints: ['chatComplete', 'embed'],
})
