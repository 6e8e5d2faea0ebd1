import config from './playwright.config.ts'

// Read by the tests themselves, so that more kills and more steps are the same tests.
process.env.LONG = '1'

export default { ...config, testMatch: ['kill.spec.ts', 'tabs.spec.ts'] }
