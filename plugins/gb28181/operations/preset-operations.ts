import { Type } from 'sluice/sdk'
import { frontEndControl } from '../manscdp/controls.ts'
import { presetCommand } from '../manscdp/front-end-command.ts'
import { parsePresets } from '../manscdp/preset.ts'
import { presetQuery } from '../manscdp/queries.ts'
import type { Platform } from '../platform.ts'
import { knowsGbFeature } from '../version.ts'
import { assertKnows } from './known-feature.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'

const PresetId = () => Type.Integer({ minimum: 1, maximum: 255 })

/** Adds the operations of presets (api.md 7). */
export function addPresetOperations(add: AddOperation, platform: Platform): void {
  const { inquiries } = platform
  const common = { method: 'GET', params: ONE_CHANNEL, access: 'admin' } as const

  add({
    ...common,
    path: 'api/preset/{deviceId}/{channelId}',
    aliases: ['api/preset/add/{deviceId}/{channelId}'],
    summary: 'Add preset: where the camera looks now',
    query: Type.Object({
      presetId: PresetId(),
      presetName: Type.Optional(Type.String({ maxLength: 64, description: 'For devices of 2022' })),
    }),
    async handle({ params, query: { presetId, presetName } }) {
      const device = targetOf(platform, params)
      const names = knowsGbFeature(device.version || undefined, 'PTZCmdParams') ? { presetName } : {}
      await inquiries.tell(device, frontEndControl(params.channelId, presetCommand('set', presetId), names))
    },
  })

  add({
    method: 'GET',
    path: 'api/preset/query/{deviceId}/{channelId}',
    summary: 'Query preset',
    params: ONE_CHANNEL,
    answer: Type.Object({
      data: Type.Array(Type.Integer()),
      presets: Type.Array(Type.Object({ presetId: Type.Integer(), presetName: Type.String() })),
    }),
    wire: 'fields',
    async handle({ params }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'PresetQuery')
      const presets = parsePresets(await inquiries.ask(device, presetQuery(params.channelId)))
      return {
        data: presets.map(({ id }) => id),
        presets: presets.map(({ id, name }) => ({ presetId: id, presetName: name })),
      }
    },
  })

  for (const action of ['delete', 'call'] as const) {
    add({
      ...common,
      path: `api/preset/${action}/{deviceId}/{channelId}`,
      summary: action === 'delete' ? 'Delete preset' : 'Call preset: the camera looks there',
      query: Type.Object({ presetId: PresetId() }),
      async handle({ params, query: { presetId } }) {
        const device = targetOf(platform, params)
        await inquiries.tell(device, frontEndControl(params.channelId, presetCommand(action, presetId)))
      },
    })
  }
}
