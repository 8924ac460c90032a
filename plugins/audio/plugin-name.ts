export const PLUGIN_NAME = 'audio'
