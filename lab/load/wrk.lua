-- wrk sends the bodies of a file, one a line, in turn. Arguments: file, key, and for an open loop the
-- requests a second and who sleeps between two of them, "thread" or "connection". It prints one line
-- of JSON for wrk.ts.
local requests = {}
local next = 0

-- Slots lie 1 / perSecond apart, and each request takes the next one, whichever connection it is on.
-- The result is the milliseconds until then. A slot in the past is taken at once, so that the rate
-- holds as long as a connection is free.
local function slots(perSecond)
  local ffi = require("ffi")
  ffi.cdef [[
    typedef struct { long seconds; long nanoseconds; } wrk_time;
    int clock_gettime(int clock, wrk_time *time);
    int usleep(unsigned int microseconds);
  ]]
  local MONOTONIC = 1
  local time = ffi.new("wrk_time")
  local gapMs = 1000 / perSecond
  local dueMs = nil
  local function now()
    ffi.C.clock_gettime(MONOTONIC, time)
    return tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1e6
  end
  return function(takes)
    local nowMs = now()
    dueMs = dueMs or nowMs
    if takes then
      dueMs = dueMs + gapMs
    end
    return dueMs - nowMs
  end
end

-- wrk calls delay() before each request of a connection. The sleep costs a timer and two system calls.
local function sleep_connection(slot)
  return function()
    return math.max(0, math.floor(slot(true) + 0.5))
  end
end

-- The whole thread sleeps, a millisecond at a time, which costs less than delay() at a high rate. But
-- answers are read only after every idle connection has had its slot, so that wrk's times are too long.
local function sleep_thread(slot)
  local ffi = require("ffi")
  return function()
    local aheadMs = slot(true)
    while aheadMs > 1 do
      ffi.C.usleep(1000)
      aheadMs = slot(false)
    end
  end
end

local wait = nil

function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Api-Key"] = args[2]
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format(nil, nil, nil, line)
  end
  local perSecond = tonumber(args[3])
  if perSecond ~= nil then
    local slot = slots(perSecond)
    if args[4] == "thread" then
      wait = sleep_thread(slot)
    else
      delay = sleep_connection(slot)
    end
  end
end

function request()
  if wait ~= nil then
    wait()
  end
  next = next % #requests + 1
  return requests[next]
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"durationMs":%.3f,"answers":%d,"refused":%d,"broken":%d,"bytes":%d,"p50Ms":%.3f,"p95Ms":%.3f,"p99Ms":%.3f}\n',
    summary.duration / 1000,
    summary.requests,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    summary.bytes,
    latency:percentile(50) / 1000,
    latency:percentile(95) / 1000,
    latency:percentile(99) / 1000
  ))
end
