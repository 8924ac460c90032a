import { expect } from 'chai'
import { recordingLog } from './fixtures/recording-log.ts'
import { MAX_DETAIL_LENGTH, MAX_DETAILS, SessionDetails } from './session-details.ts'

function setUp() {
  const { log, messages } = recordingLog()
  return { details: new SessionDetails(log), messages }
}

describe('SessionDetails', () => {
  it('are what the plugin says at the time', () => {
    const { details } = setUp()
    expect(details.read()).to.eql({})
    let rttMs = 20
    details.set(() => ({ rttMs, layer: 'low' }))
    expect(details.read()).to.eql({ rttMs: 20, layer: 'low' })
    rttMs = 30
    expect(details.read()).to.eql({ rttMs: 30, layer: 'low' })
  })

  it('are bounded in number and length', () => {
    const { details } = setUp()
    const long = 'x'.repeat(MAX_DETAIL_LENGTH + 1)
    details.set(() => Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}${long}`, long])))
    const shown = Object.entries(details.read())
    expect(shown).to.have.length(MAX_DETAILS)
    for (const text of shown.flat()) expect(text).to.have.length(MAX_DETAIL_LENGTH)
  })

  it('are always what JSON can carry', () => {
    const { details } = setUp()
    details.set(() => ({ rttMs: NaN, loss: Infinity }))
    expect(details.read()).to.eql({ rttMs: 'NaN', loss: 'Infinity' })
  })

  it('have no addresses with their secrets', () => {
    const { details } = setUp()
    details.set(() => ({ peer: 'srt://user:secret@host:9000?passphrase=secret', state: 'ready?' }))
    expect(JSON.stringify(details.read())).not.to.include('secret')
    expect(details.read()).to.include({ state: 'ready?' })
  })

  it('are asked no more once they have thrown, which is logged', () => {
    const { details, messages } = setUp()
    let asked = 0
    details.set(() => {
      asked++
      throw new Error('broken')
    })
    expect([details.read(), details.read()]).to.eql([{}, {}])
    expect(asked).to.equal(1)
    expect(messages).to.eql(['the details of a session failed'])
  })
})
