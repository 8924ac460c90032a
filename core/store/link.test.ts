import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { logLines } from '../host/testing/log-lines.ts'
import type { Backend } from './backend.ts'
import { Link } from './link.ts'

/** A link to a database that is opened and closed as a test says. */
function rig(backend: Pick<Backend, 'open' | 'close'>) {
  const { log, text } = logLines()
  const fake: Pick<Backend, 'open' | 'close' | 'shown' | 'failureOf'> = {
    shown: 'postgres://host/x',
    failureOf: (error: unknown) => ({
      kind: 'mistake',
      error,
    }),
    ...backend,
  }
  return { text, link: new Link({ log, backend: fake, onUp: () => {} }) }
}

describe('Link', () => {
  it('says what kind of error it is that nothing is known of, and nothing that it quotes', async () => {
    const error = Object.assign(new Error('of hush'), { code: 'ERR_INVALID_URL' })
    const { text, link } = rig({ open: () => Promise.reject(error), close: async () => {} })
    const message = await link.up().catch(String)
    link.close()
    expect(message).to.include('it can not be opened (ERR_INVALID_URL)')
    expect(text()).to.include('it can not be opened (ERR_INVALID_URL)').and.not.include('hush')
  })

  it('closes what was opened too late, and logs that it could not', async () => {
    const opening = Promise.withResolvers<void>()
    const { text, link } = rig({ open: () => opening.promise, close: () => Promise.reject(new Error('late')) })
    link.open()
    link.close()
    opening.resolve()
    await waitFor(() => text().includes('the database was not closed'))
  })
})
