import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { blocksOf } from '../support/doc-blocks.ts'

describe('docs/plugins/ports.md', () => {
  for (const name of ['beacon', 'rtp-meter', 'drop-box', 'device-link', 'courier', 'fingerprint']) {
    it(`shows the ${name} plugin as it is tested`, async () => {
      const block = (await blocksOf('docs/plugins/ports.md', 'ts'))(`name: '${name}'`)
      expect(block).to.equal(await readFile(new URL(`${name}.ts`, import.meta.url), 'utf8'))
    })
  }
})
