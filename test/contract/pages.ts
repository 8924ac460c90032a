import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { StartContractHost } from './contract-host.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const FOR_GOOD = 'public, max-age=31536000, immutable'
const CHUNK = 'export const chunk = 1'
const FILES: Readonly<Record<string, string | Buffer>> = {
  'pages/plain.js': 'export default () => 1',
  'pages/notes.js': 'no page',
  'pages/devices.tsx': 'the source',
  'pages/later.tsx': 'not built',
  'pages/built/devices.js': 'export default () => 2',
  'pages/built/assets/chunk-C38fXH4l.js': CHUNK,
  'pages/built/assets/chunk-C38fXH4l.js.gz': gzipSync(CHUNK),
  'pages/built/style.css': 'p {}',
  'pages/built/.secret.js': 'secret',
  'secret.js': 'secret',
}

/** The modules of pages that the console shows. */
export function describePages(start: StartContractHost): void {
  describe('modules of pages', () => {
    let folder: string
    let ask: (name: string, init?: RequestInit) => Promise<Response>

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'sluice-pages-'))
      for (const [name, content] of Object.entries(FILES)) {
        await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
        await writeFile(path.join(folder, name), content)
      }
      await symlink(path.join(folder, 'secret.js'), path.join(folder, 'pages/built/link.js'))
      const module = (name: string) => pathToFileURL(path.join(folder, 'pages', name))
      const pages = ['plain.js', 'devices.tsx', 'later.tsx'].map((name) => ({ title: name, module: module(name) }))
      const host = await start(({ http }) => void http.get('/pages/own.txt', () => 'of the plugin'), {}, { pages })
      ask = (name, init) => fetch(`${host.origin}/${name}`, init)
    })

    afterEach(() => rm(folder, { recursive: true }))

    const served = [
      ['contract/pages/plain.js', SCRIPT, 'no-cache', 'export default () => 1'],
      ['c/pages/devices.js', SCRIPT, 'no-cache', 'export default () => 2'],
      ['contract/pages/assets/chunk-C38fXH4l.js', SCRIPT, FOR_GOOD, CHUNK],
      ['contract/pages/style.css', 'text/css; charset=utf-8', 'no-cache', 'p {}'],
    ] as const
    for (const [name, type, kept, text] of served) {
      it(`are served: ${name}, once only as long as it is the same`, async () => {
        const answer = await ask(name)
        expect([answer.status, answer.headers.get('content-type')]).to.eql([200, type])
        expect(answer.headers.get('cache-control')).to.equal(kept)
        expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
        expect(await answer.text()).to.equal(text)
        const again = await ask(name, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } })
        expect([again.status, await again.text()]).to.eql([304, ''])
      })
    }

    it('are sent compressed where they are so', async () => {
      const answer = await ask('c/pages/assets/chunk-C38fXH4l.js', { headers: { 'accept-encoding': 'gzip' } })
      expect([answer.headers.get('content-encoding'), await answer.text()]).to.eql(['gzip', CHUNK])
    })

    it('are nothing but what was built, and the scripts that are named', async () => {
      const others = ['notes.js', 'devices.tsx', 'later.js', '.secret.js', 'link.js', 'built/devices.js', '']
      for (const name of [...others, '..%2fsecret.js', '..%2fplain.js', '%2e%2e/secret.js', 'assets', 'plain%00.js']) {
        expect((await ask(`contract/pages/${name}`)).status, name).to.equal(404)
      }
      expect(await (await ask('contract/pages/own.txt')).text()).to.equal('of the plugin')
    })

    it('are read each time where they are scripts, until they are gone', async () => {
      const file = path.join(folder, 'pages/plain.js')
      const { headers } = await ask('c/pages/plain.js')
      await writeFile(file, 'edited')
      const edited = await ask('c/pages/plain.js', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
      expect([edited.status, await edited.text()]).to.eql([200, 'edited'])
      await rm(file)
      expect((await ask('c/pages/plain.js')).status).to.equal(404)
    })
  })
}
