import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import plugin from './fingerprint.ts'

describe('a plugin that has a certificate', () => {
  async function start(quic: { readonly certfile: string; readonly keyfile: string }) {
    const server = await createTestServer(plugin, { config: { quic } })
    keep({ close: () => server.stop() })
    return { server, shown: async () => (await fetch(`${server.origin}/fingerprint/`)).text() }
  }

  it('keeps the one that is made here over its generations', async () => {
    const { server, shown } = await start({ certfile: '', keyfile: '' })
    const first = await shown()
    expect(first).to.match(/^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/u)
    await server.replace()
    expect(await shown()).to.equal(first)
  })

  it('is told when the files have another', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-certificate-'))
    keep({ close: () => rm(folder, { recursive: true }) })
    const files = { certfile: path.join(folder, 'cert.pem'), keyfile: path.join(folder, 'key.pem') }
    const store = async () => {
      const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
      await writeFile(files.keyfile, key)
      await writeFile(files.certfile, cert)
      return new X509Certificate(cert).fingerprint256
    }
    const first = await store()
    const { server, shown } = await start(files)
    expect(await shown()).to.equal(first)
    const second = await store()
    await waitFor(async () => (await shown()) === second, { what: 'the renewed certificate' })
    await server.stop()
  })
})
