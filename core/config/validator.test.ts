import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { violation } from './validator.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('the check of values by their schemas', () => {
  it('says what a value must be', () => {
    expect(violation({ type: 'string', format: 'duration' }, '5s')).to.equal(undefined)
    expect(violation({ type: 'string', format: 'duration' }, 'soon')).to.equal('must match format "duration"')
  })

  it('refuses a schema that is none', () => {
    expect(() => violation({ type: 'strange' }, 5)).to.throw('schema is invalid')
  })

  it('keeps no schema of plugins that are gone', async () => {
    const schemas = Array.from({ length: 500 }, (_, maximum) => {
      const schema = { type: 'integer', maximum }
      expect(violation(schema, maximum + 1)).to.equal(`must be <= ${maximum}`)
      return new WeakRef(schema)
    })
    await waitFor(() => {
      collect()
      // Those of the compiler that is in use may be there.
      return schemas.filter((schema) => schema.deref() !== undefined).length <= 64
    })
  })
})
