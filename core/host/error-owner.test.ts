import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { callPlugin, ownerOfError } from './error-owner.ts'

describe('the owner of an error that escaped', () => {
  it('is the server when its own code shows in the stack', () => {
    expect(ownerOfError(new Error('broken'))).to.equal('server')
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

  it('is nobody when the error shows no code', async () => {
    const error: unknown = await new Promise((resolve) => {
      readFile('/nowhere').catch(resolve)
    })
    expect(ownerOfError(error)).to.equal(undefined)
  })
})
