import { Duration, Type, type PluginConfig } from 'sluice/sdk'

export const SeiConfig = Type.Object(
  {
    stopdelay: Duration({
      default: '60s',
      description: 'A stream with messages ends when for this long nobody watches it and nothing is inserted',
    }),
  },
  { title: 'SEI' },
)

export type SeiConfig = PluginConfig<typeof SeiConfig>
