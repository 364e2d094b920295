/** The style of the page; its policy names the hash of this text. */
export const pageStyle = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 70rem; padding: 1rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .5rem 0 }
h1 small { font-weight: normal; opacity: .7 }
h3 { font-size: 1rem; margin: 1rem 0 .25rem }
details { border-top: 1px solid #8884; padding: .35rem 0 }
details > :not(summary) { margin-left: 1rem }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 4.5rem }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
td { border: 1px solid #8883; padding: .2rem .5rem; text-align: left; vertical-align: top }
.get { color: #2563eb } .post { color: #15803d } .put, .patch { color: #b45309 } .delete { color: #dc2626 }
`
