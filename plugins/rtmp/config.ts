import { tcpConfig, Type } from 'sluice/sdk'

export const RtmpConfig = Type.Object(
  {
    tcp: tcpConfig({ listenaddr: ':1935' }),
    chunksize: Type.Integer({
      default: 65_536,
      minimum: 128,
      maximum: 0xff_ff_ff,
      description: 'Size of the chunks sent to players, in bytes; larger ones cost less',
    }),
    c2: Type.Boolean({ default: false, description: 'Refuse clients whose C2 does not answer S1' }),
    verifycertificate: Type.Boolean({
      default: true,
      description: 'Verify the certificates of servers (rtmps) that streams are pulled from and pushed to',
    }),
  },
  { title: 'RTMP' },
)
