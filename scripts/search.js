// Asks the search of the built site what people who have never seen the project ask: `make docs` does,
// where node is. Ends with 1 where the first answer is not the page that has it.
//
// The program that searches is the site's own, which talks as a worker of a browser does: 0 gives it
// the index, 2 asks.
const fs = require("fs"), vm = require("vm")

const SITE = process.argv[2]
const QUESTIONS = {
  "axis does not move": "symptoms/",
  "nothing moves": "symptoms/",
  "motor does not turn": "symptoms/",
  "how do I install it": "first-steps/",
  "servo does not come on": "symptoms/",
  "goal rejected": "symptoms/",
  "state stops": "symptoms/",
  "no system found": "symptoms/",
  "add a verb": "recipes/#add-a-verb",
  "make a release": "contributing/#make-a-release",
  "contributing": "contributing/",
  "report a vulnerability": "security/",
  "why do nodes share a file": "decisions/02-a-file-that-nodes-share/",
}

const folder = `${SITE}/assets/javascripts/workers/`
const program = fs.readdirSync(folder).find(name => /^search\..*\.js$/.test(name))
const index = JSON.parse(fs.readFileSync(`${SITE}/search/search_index.json`))
let hear, answered
const worker = {
  console, performance, setTimeout, URL, importScripts() {},
  addEventListener: (_, listener) => { hear = listener },
  postMessage: message => answered(message),
}
worker.self = worker
vm.runInNewContext(fs.readFileSync(folder + program, "utf8"), worker)
const ask = message => new Promise(done => { answered = done; hear({ data: message }) })

async function main() {
  await ask({ type: 0, data: { config: index.config, docs: index.docs, options: { suggest: false } } })
  for (const [question, page] of Object.entries(QUESTIONS)) {
    const { data } = await ask({ type: 2, data: question })
    const first = data.items.length ? data.items[0][0].location : "nothing"
    if (!first.startsWith(page)) {
      console.error(`search: "${question}" leads to ${first}, not to ${page}`)
      process.exitCode = 1
    }
  }
}

main()
