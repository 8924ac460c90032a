import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import * as sdk from 'sluice/sdk'
import { sourceFiles } from './source-tree.ts'

const DOCS = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')
const ROW = /^\| `([A-Z_]+)` \| (\d{3}) \| (?:`(\w+)`)? ?\|/gmu
/** The constructor's call of a named error: `super('DENIED', 401, …` or `new SluiceError('BUSY', 429, …`. */
const NAMED = /(?:super|new SluiceError)\(\s*'([A-Z_]+)',\s*(\d{3}),/gu

describe('the codes of errors', () => {
  const documented = [...DOCS.matchAll(ROW)].map(([, code, status, name]) => ({ code: `${code} ${status}`, name }))
  const thrown = sourceFiles('sdk', 'core', 'cli', 'plugins')
    .filter(({ isTest }) => !isTest)
    .flatMap(({ text }) => [...text.matchAll(NAMED)].map(([, code, status]) => `${code} ${status}`))

  it('are all in docs/errors.md, with their status, and no others', () => {
    expect(thrown.toSorted()).to.eql(documented.map(({ code }) => code).toSorted())
  })

  it('have one status each, and stand in the order of these', () => {
    const rows = documented.map(({ code }) => code.split(' ').toReversed().join(' '))
    expect(rows).to.eql(rows.toSorted())
    const codes = documented.map(({ code }) => code.split(' ')[0])
    expect(codes).to.eql([...new Set(codes)])
  })

  it('are there with the classes of the sdk', () => {
    const named = documented.flatMap(({ name }) => name ?? [])
    const exported = Object.entries(sdk).flatMap(([name, value]) =>
      Object.getPrototypeOf(value) === sdk.SluiceError ? [name] : [],
    )
    expect(named).to.have.members(exported)
  })
})
