import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

const ROOT = new URL('../', import.meta.url)

describe('docs/architecture.md', () => {
  it('names only files and folders that are there', async () => {
    const text = await readFile(new URL('docs/architecture.md', ROOT), 'utf8')
    const paths = [...text.matchAll(/`((?:sdk|core|cli|plugins|test|config|docs)\/[\w./-]*)`/gu)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).to.be.greaterThan(20)
    expect(paths.filter((path) => !existsSync(new URL(path, ROOT)))).to.eql([])
  })
})
