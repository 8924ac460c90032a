import { expect } from 'chai'
import { SluiceError } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { askOperations } from '../../http/testing/ask-operations.ts'
import { addArmingOperations, type Arming } from './arming-operations.ts'

async function post(body: string, setArmed: Arming['setArmed']) {
  const [answer] = await askOperations(
    new LogRecords('core'),
    (operations) => addArmingOperations(operations, { setArmed }),
    [{ method: 'POST', url: '/api/arming/set', headers: { 'content-type': 'application/json' }, body }],
  )
  return { status: answer?.statusCode, body: JSON.parse(answer?.body ?? '{}') as unknown }
}

describe('POST /api/arming/set', () => {
  it('arms and disarms', async () => {
    const set: unknown[] = []
    for (const armed of [true, false]) {
      const answer = await post(JSON.stringify({ armed }), async (...args) => void set.push(args))
      expect(answer).to.eql({ status: 200, body: { code: 0, message: 'success' } })
    }
    expect(set).to.eql([
      [true, 'anonymous'],
      [false, 'anonymous'],
    ])
  })

  it('changes nothing unless it is told which', async () => {
    for (const body of ['{}', '{"armed": "maybe"}', '[]']) {
      const answer = await post(body, () => Promise.reject(new Error('was called')))
      expect(answer, body).to.have.property('status', 400)
    }
  })

  it('says why it could not be changed', async () => {
    const answer = await post('{"armed": true}', () => Promise.reject(new SluiceError('NO_DB', 503, 'no db')))
    expect(answer).to.deep.include({ status: 503 })
  })
})
