/**
 * The addresses at which clients reach a plugin: templates with `{hostName}` and `{streamPath}`, as `addressTemplates` makes them.
 * `/api/sysinfo` and the home page show them.
 */
export type Endpoints = {
  readonly pushAddr?: readonly string[]
  readonly playAddr?: readonly string[]
  readonly pullAddr?: readonly string[]
  readonly downloadAddr?: readonly string[]
}
