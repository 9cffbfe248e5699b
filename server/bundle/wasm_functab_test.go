package bundle

import (
	"encoding/binary"
	"testing"
)

// tableOf returns the buckets of functions.
func tableOf(first, n uint32) (table []byte) {
	for function := first; function < first+n; function++ {
		for range bucketsEach {
			table = append(binary.LittleEndian.AppendUint32(table, function), make([]byte, bucketSize-4)...)
		}
	}
	return table
}

func TestFunctionsAreFoundFromAnEarlierOne(t *testing.T) {
	before := tableOf(1, leastFunctions+100)
	memory := concat([]byte("data before"), before, []byte("data after"))
	coarsenFunctions(memory)
	after := memory[len("data before") : len(memory)-len("data after")]
	if string(memory[:11]) != "data before" || string(memory[len(memory)-10:]) != "data after" {
		t.Error("data beside the table changed")
	}
	changed := 0
	for at := 0; at < len(before); at += bucketSize {
		was, is := binary.LittleEndian.Uint32(before[at:]), binary.LittleEndian.Uint32(after[at:])
		if is > was || was-is >= functionsAtOnce {
			t.Fatalf("for function %d the search begins at %d", was, is)
		}
		if is != was {
			changed++
		}
	}
	if most := len(before) / bucketSize; changed < most*8/10 {
		t.Errorf("%d of %d buckets changed", changed, most)
	}
}

func TestDataThatIsNoTableOfFunctionsStays(t *testing.T) {
	short := tableOf(1, leastFunctions-1)
	torn := tableOf(1, leastFunctions+10)
	torn[functionSize*500+7] = 1
	for name, memory := range map[string][]byte{"short": short, "torn": torn, "zeros": make([]byte, len(torn)), "empty": nil} {
		before := string(memory)
		if coarsenFunctions(memory); string(memory) != before {
			t.Errorf("%s: the memory changed", name)
		}
	}
}

// The table of the toolchain that builds the engine is found: one entry for each function.
func TestEngineHasATableOfFunctions(t *testing.T) {
	built, problems, err := linkEngine(t.Context(), "../..", linkerFlags)
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if table := functionTable(memoryOf(segmentsOf(t, built))); len(table) < 3_000*functionSize {
		t.Errorf("the table has %d functions", len(table)/functionSize)
	}
}
