import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { callPlugin, ownerOfError } from './error-owner.ts'
import { startLoad } from './loading/module-hooks.ts'

describe('the owner of an error that escaped', () => {
  it('is the server when its own code shows in the stack', () => {
    expect(ownerOfError(new Error('broken'))).to.equal('server')
  })

  it('is the server when the code of the command line shows in the stack', () => {
    const error = new Error('broken')
    error.stack = `Error: broken\n    at onStarted (${new URL('../../cli/run.ts', import.meta.url).href}:30:7)`
    expect(ownerOfError(error)).to.equal('server')
  })

  it('is the plugin that runs, whatever the error is', () => {
    for (const error of [new Error('broken'), 'text', undefined]) {
      expect(callPlugin('demo', () => ownerOfError(error))).to.eql({ plugin: 'demo' })
    }
  })

  it('is the plugin that began what failed, when that was long ago', async () => {
    const owner = await callPlugin('demo', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return ownerOfError('text')
    })
    expect(owner).to.eql({ plugin: 'demo' })
    expect(ownerOfError('text')).to.equal(undefined)
  })

  it('is not changed by what the message quotes', async () => {
    const { url } = startLoad({ kind: 'file', path: '/plugins/quoted.ts', entry: '/plugins/quoted.ts' })
    const frame = `\n    at start (${url}:1:1)`
    expect(ownerOfError(new Error(`no such stream: http://127.0.0.1/${url}${frame}`))).to.equal('server')
    const noCode: unknown = await readFile(`/nowhere${new URL(import.meta.url).pathname}${frame}`).catch(
      (error) => error,
    )
    expect(ownerOfError(noCode)).to.equal(undefined)
  })

  it('is nobody when the error shows no code', async () => {
    const error: unknown = await new Promise((resolve) => {
      readFile('/nowhere').catch(resolve)
    })
    expect(ownerOfError(error)).to.equal(undefined)
  })
})
