import { X509Certificate } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino, type Logger } from 'pino'
import { generate } from 'selfsigned'
import type { KeyPair } from 'sluice/sdk/host'
import { loadCertificate, ServerCertificate } from './tls.ts'

async function makePair(name: string): Promise<KeyPair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
  })
  return { cert, key }
}

describe('TLS certificate', () => {
  let folder: string
  let certfile: string
  let keyfile: string
  let lines: string[]
  let log: Logger

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certificate-'))
    certfile = join(folder, 'cert.pem')
    keyfile = join(folder, 'key.pem')
    lines = []
    log = pino({}, { write: (line: string) => void lines.push(line) })
  })

  afterEach(() => rm(folder, { recursive: true }))

  async function store(pair: KeyPair): Promise<void> {
    await writeFile(keyfile, pair.key)
    await writeFile(certfile, pair.cert)
  }

  it('is made once per process where none is configured, for the names of this machine', async () => {
    const [first, second] = await Promise.all([
      loadCertificate({ certfile: '', keyfile: '' }),
      loadCertificate({ certfile: '', keyfile: '' }),
    ])
    expect(first).to.equal(second)
    const parsed = new X509Certificate(first.cert)
    expect(parsed.checkHost('localhost')).to.equal('localhost')
    expect(parsed.checkIP('127.0.0.1')).to.equal('127.0.0.1')
    expect(parsed.checkIP('::1')).to.equal('::1')
    expect(parsed.publicKey.asymmetricKeyType).to.equal('ec')
  })

  it('is made for so many days, and anew when half of them are over', async () => {
    // Of no other test: certificates that are made here are shared by the days that they hold.
    const days = 10
    const daysMs = (count: number) => count * 86_400_000
    let nowMs = Date.now()
    const certificate = await ServerCertificate.open({ certfile: '', keyfile: '' }, log, { days, now: () => nowMs })
    try {
      const first = new X509Certificate(certificate.pair.cert)
      expect(first.validToDate.getTime() - first.validFromDate.getTime()).to.equal(daysMs(days))
      expect(nowMs).to.be.within(first.validFromDate.getTime(), first.validToDate.getTime())
      const renewed: KeyPair[] = []
      certificate.onRenewed = (pair) => renewed.push(pair)
      nowMs += daysMs(days / 2) - 1000
      await certificate.reload()
      expect(renewed).to.eql([])
      nowMs += 1000
      await certificate.reload()
      expect(renewed).to.eql([certificate.pair])
      expect(new X509Certificate(certificate.pair.cert).validToDate.getTime()).to.be.greaterThan(
        nowMs + daysMs(days - 2),
      )
    } finally {
      certificate.close()
    }
  })

  it('is read from its files', async () => {
    const pair = await makePair('read.test')
    await store(pair)
    expect(await loadCertificate({ certfile, keyfile })).to.deep.equal(pair)
  })

  it('says which file is wrong, and why', async () => {
    const [pair, other] = await Promise.all([makePair('one.test'), makePair('two.test')])
    await store(pair)
    const missing = join(folder, 'missing.pem')
    const otherKey = join(folder, 'other.pem')
    await writeFile(otherKey, other.key)
    const cases = [
      { files: { certfile, keyfile: '' }, message: `certfile ${certfile} is set, but keyfile is not` },
      { files: { certfile: '', keyfile }, message: `keyfile ${keyfile} is set, but certfile is not` },
      { files: { certfile: missing, keyfile }, message: `can't read certfile ${missing}: no such file` },
      { files: { certfile: keyfile, keyfile }, message: `certfile ${keyfile} is not a certificate in PEM form` },
      {
        files: { certfile, keyfile: certfile },
        message: `keyfile ${certfile} is not an unencrypted private key in PEM form`,
      },
      { files: { certfile, keyfile: otherKey }, message: `keyfile ${otherKey} is not the key of certfile ${certfile}` },
    ]
    for (const { files, message } of cases) {
      const error = await loadCertificate(files).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(Error).with.property('message', message)
    }
  })

  it('is renewed when its files change, and stays while they do not fit together', async () => {
    const [pair, next] = await Promise.all([makePair('old.test'), makePair('new.test')])
    await store(pair)
    const certificate = await ServerCertificate.open({ certfile, keyfile }, log)
    try {
      await writeFile(keyfile, next.key)
      await certificate.reload()
      expect(certificate.pair).to.deep.equal(pair)
      expect(lines.join('')).to.contain('is not the key of')

      const events = new EventEmitter()
      certificate.onRenewed = (renewed) => void events.emit('renewed', renewed)
      const renewed = once(events, 'renewed')
      await writeFile(certfile, next.cert)
      expect(await renewed).to.deep.equal([next])
      expect(certificate.pair).to.deep.equal(next)
    } finally {
      certificate.close()
    }
  })
})
