import { Type, type Static } from 'typebox'
import { Duration, Secret } from '../types.ts'

/** `global.storage.s3`: the server that stores files by the protocol S3, such as AWS, MinIO, Ceph, Garage or Cloudflare R2. */
export const S3Config = Type.Object(
  {
    endpoint: Type.String({
      default: '',
      description:
        'Server, as host or host:port, [ipv6]:port included; with http:// or https:// before it, usessl does not count. ' +
        'Empty is Amazon, by region',
    }),
    region: Type.String({
      default: 'us-east-1',
      minLength: 1,
      description: 'Region of the bucket; auto for Cloudflare R2',
    }),
    accesskeyid: Type.String({ default: '', description: 'Id of the access key' }),
    secretaccesskey: Secret({ default: '', description: 'Secret of the access key' }),
    bucket: Type.String({ default: '', description: 'Bucket, which must be there' }),
    pathprefix: Type.String({ default: '', description: 'What the names of all files in the bucket begin with' }),
    forcepathstyle: Type.Boolean({
      default: false,
      description:
        'Name the bucket in the path, for servers that answer to no name of the bucket (bucket.host). Always so where host is an ' +
        'address or has no dot, or the name of the bucket does not fit',
    }),
    usessl: Type.Boolean({ default: true, description: 'Speak TLS, by which the certificate is checked' }),
    timeout: Duration({
      default: '30s',
      description: 'A request fails when nothing of it or of its answer moves for so long; 0 is never',
    }),
  },
  { title: 'S3' },
)
export type S3Config = Static<typeof S3Config>
