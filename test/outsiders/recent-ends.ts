import { CLIENT_LEFT, definePlugin, Type } from 'sluice/sdk'

const MAX_KEPT = 100

/** Lists the tasks and sessions that have ended lately for an unusual reason. */
export default definePlugin({
  name: 'recent-ends',
  version: '1.0.0',
  setup(ctx) {
    const ends = ctx.keep('ends', () => [] as string[])

    ctx.hooks.on('ended', ({ kind, owner, startTime, endTime, reason, description }) => {
      if (reason === 'done' || reason === CLIENT_LEFT.text) return
      const seconds = Math.round((endTime.getTime() - startTime.getTime()) / 1000)
      // The texts are made at the call.
      const { remoteAddr = '' } = description()
      ends.push(`${kind} ${owner} ${remoteAddr}: ${reason}, after ${seconds} s`)
      if (ends.length > MAX_KEPT) ends.shift()
    })

    ctx.operations.add({
      method: 'GET',
      path: 'api/list',
      summary: 'What has ended lately, the newest last',
      answer: Type.Array(Type.String()),
      handle: () => ends,
    })
  },
})
