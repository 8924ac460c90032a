import { expect } from 'chai'
import pinned from './sdk-exports.json' with { type: 'json' }

/** What a plugin can import is promised; a change here is a change of the sdk (`npm run exports` writes the list). */
describe('sdk exports', () => {
  for (const [entryPoint, names] of Object.entries(pinned)) {
    it(`${entryPoint} has the names that are pinned`, async () => {
      const module = (await import(entryPoint)) as Record<string, unknown>
      expect(Object.keys(module).toSorted()).to.eql(names)
    })
  }
})
