import { Duration, Secret, Type } from 'sluice/sdk'
import { transportConfig } from './transport/transport-config.ts'

const IceServer = Type.Object({
  urls: Type.Array(Type.String({ pattern: String.raw`^(stuns?|turns?):[!-;=?-~]+$` }), {
    minItems: 1,
    maxItems: 8,
    description: 'Addresses, as stun:host:3478 or turn:host:3478?transport=udp',
  }),
  // They stand in a header of the answer.
  username: Type.String({ default: '', pattern: '^[ -~]*$', description: 'Name that a TURN server asks for' }),
  credential: Secret({ default: '', description: 'Password that a TURN server asks for' }),
})

export const WebRtcConfig = Type.Object(
  {
    ...transportConfig,
    pli: Duration({
      default: '2s',
      description: 'Publishers are asked for a keyframe when their last one is older; 0 is never',
    }),
    iceservers: Type.Array(IceServer, {
      default: [],
      maxItems: 16,
      description: 'STUN and TURN servers that clients are told of',
    }),
    bframes: Type.Union([Type.Literal('drop'), Type.Literal('reject')], {
      default: 'drop',
      description:
        'Streams with B-frames, which browsers show out of order: drop sends them without those that no other frame needs, and H.264 without any; reject refuses the viewers',
    }),
  },
  { title: 'WebRTC' },
)
