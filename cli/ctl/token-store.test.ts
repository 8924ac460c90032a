import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { CommandError } from '../command-error.ts'
import { tokenFile, TokenStore } from './token-store.ts'

describe('the tokens of logins', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    file = tokenFile({ XDG_CONFIG_HOME: folder })
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('are kept for each server, and forgotten one by one', async () => {
    const tokens = new TokenStore(file)
    expect(await tokens.get('http://a')).to.equal(undefined)
    await tokens.set('http://a', 'one')
    await tokens.set('http://b', 'two')
    await tokens.set('http://a', 'three')
    expect(await tokens.get('http://a')).to.equal('three')
    expect(await tokens.remove('http://a')).to.equal(true)
    expect(await tokens.remove('http://a')).to.equal(false)
    expect(await tokens.get('http://b')).to.equal('two')
    expect(await tokens.get('constructor')).to.equal(undefined)
  })

  it('are readable for nobody else, and leave no other file', async () => {
    await new TokenStore(file).set('http://a', 'one')
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect((await stat(path.dirname(file))).mode & 0o777).to.equal(0o700)
    expect(await readdir(path.dirname(file))).to.eql(['tokens.json'])
  })

  for (const text of ['', '[1]', 'null', '{"http://a": 5}']) {
    it(`are not guessed from a file that says "${text}"`, async () => {
      const broken = path.join(folder, 'broken.json')
      await writeFile(broken, text)
      const error: unknown = await new TokenStore(broken).get('http://a').catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(CommandError).with.property('message').that.includes(broken)
    })
  }
})
